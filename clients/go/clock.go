package pintle

// #include <stdint.h>
import "C"

import (
	"runtime/cgo"
	"time"
	"unsafe"
)

// pintleGoClock is called by the library, from any thread, with the handle of a function of the settings.
//
//export pintleGoClock
func pintleGoClock(context unsafe.Pointer) C.int64_t {
	clock := cgo.Handle(uintptr(context)).Value().(func() time.Time)
	return C.int64_t(clock().Unix())
}
