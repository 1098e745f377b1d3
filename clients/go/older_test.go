package pintle

import (
	"reflect"
	"testing"
	"unsafe"
)

// A library of before the keys makes smaller decisions: what comes after their end isn't read.
func TestDecisionsOfOlderLibraries(t *testing.T) {
	call := reflect.ValueOf(readKeys) // tests can't name the types of C
	kind := call.Type().In(0).Elem()
	made := reflect.New(kind)
	set := func(name string, value uintptr) {
		field, ok := kind.FieldByName(name)
		if !ok {
			t.Fatal(name)
		}
		*(*uintptr)(unsafe.Add(made.UnsafePointer(), field.Offset)) = value
	}
	required, _ := kind.FieldByName("required")
	key := reflect.New(required.Type.Elem())
	*(*unsafe.Pointer)(unsafe.Add(made.UnsafePointer(), required.Offset)) = key.UnsafePointer()
	set("required_count", 1)
	for size, count := range map[uintptr]int{kind.Size(): 1, kind.Size() + 8: 1, required.Offset: 0} {
		set("size", size)
		if keys := call.Call([]reflect.Value{made})[0]; keys.Len() != count {
			t.Error(size, keys.Len())
		}
	}
}
