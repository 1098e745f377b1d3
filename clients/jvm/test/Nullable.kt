import pintle.Decision
import pintle.PinningException

// Compiled against the jar. Kotlin must see what may be null: of these functions, only the last is an error.
fun lengthOfEntry(decision: Decision): Int = decision.entry()?.length ?: 0

fun reasonOf(error: Throwable?): String? = PinningException.`in`(error)?.decision()?.reason()

fun wrong(decision: Decision): Int = decision.entry().length
