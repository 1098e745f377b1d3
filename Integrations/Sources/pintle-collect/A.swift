import ArgumentParser
import PinCollector
@main struct A: ParsableCommand {}
