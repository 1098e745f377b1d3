import Foundation
import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("Two stores on one folder")
struct SharedFolderTests {
  @Test("A newer manifest that the other accepted is taken, told, and never gone behind")
  func adoption() throws {
    let scene = try StoreScene()
    try scene.accept(7)
    let (one, other) = (try scene.open(), try scene.open())
    let log = Log()
    _ = other.addActivationObserver { activation in
      if case .activated(let manifest, _) = activation { log.add([manifest.serial]) }
    }
    try one.update(scene.release(8))
    #expect(other.standing == [7, 7])
    #expect(outcome(other, try scene.release(7)) == "older-serial")
    #expect(other.standing == [8, 8])
    #expect(other.status.source == .stored)
    try one.update(scene.release(9))
    try other.maintain()
    #expect(other.standing == [9, 9])
    #expect(outcome(other, try scene.release(9)) == "unchanged")
    #expect(outcome(other, try scene.release(9) { $0.onStale = .block }) == "conflicting-serial")
    try other.update(scene.release(10))
    try one.maintain()
    #expect(one.standing == [10, 10])
    #expect(log.lines == [[8], [9], [10]])
  }

  @Test("What is in a folder that turns up after the start is in force from the next look on")
  func late() throws {
    let scene = try StoreScene()
    try scene.accept(7)
    try FileManager.default.moveItem(atPath: scene.state, toPath: scene.folder.path("away"))
    let store = try scene.open()
    #expect(store.standing == [0, 0])
    try FileManager.default.moveItem(atPath: scene.folder.path("away"), toPath: scene.state)
    #expect(outcome(store, try scene.release(6)) == "older-serial")
    #expect(store.standing == [7, 7])
    #expect(outcome(store, try scene.release(7)) == "unchanged")
  }

  @Test("A manifest that was damaged here, and that the other takes again, is in force here too")
  func takenAgain() throws {
    let scene = try StoreScene()
    try scene.accept(7)
    for name in ["manifest.json", "manifest.copy.json"] { try FileManager.default.removeItem(atPath: scene.path(name)) }
    let (one, other) = (try scene.open(), try scene.open())
    #expect(one.standing == [0, 0] && other.standing == [0, 0])
    try one.update(scene.release(7))
    try other.maintain()
    #expect(other.standing == [7, 7])
  }

  @Test("Files that somebody removed while the store runs are written again")
  func removed() throws {
    let scene = try StoreScene()
    try scene.accept(7)
    let store = try scene.open()
    let names = try scene.names()
    try FileManager.default.removeItem(atPath: scene.state)
    try FileManager.default.createDirectory(atPath: scene.state, withIntermediateDirectories: false)
    #expect(outcome(store, try scene.release(6)) == "older-serial")
    try store.maintain()
    #expect(try scene.names() == names)
    #expect(try scene.open().standing == [7, 7])
  }
}
