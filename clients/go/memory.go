package pintle

// #include <pintle.h>
// #include <stdlib.h>
import "C"

import (
	"strings"
	"unsafe"
)

// memory is C's, since a structure that C reads must not hold pointers to Go's.
type memory struct{ blocks []unsafe.Pointer }

func (m *memory) free() {
	for _, block := range m.blocks {
		C.free(block)
	}
}

// path is null if it is empty.
func (m *memory) path(path string) *C.char {
	if path == "" {
		return nil
	}
	return m.text(path)
}

// text has no zero byte, at which C would end it and take it for another one.
func (m *memory) text(text string) *C.char {
	copied := C.CString(strings.ReplaceAll(text, "\x00", "\uFFFD"))
	m.blocks = append(m.blocks, unsafe.Pointer(copied))
	return copied
}

// bytes are null if they are nil; an empty file isn't null.
func (m *memory) bytes(bytes []byte) C.pintle_bytes {
	if bytes == nil {
		return C.pintle_bytes{}
	}
	data := C.CBytes(bytes)
	m.blocks = append(m.blocks, data)
	return C.pintle_bytes{data: data, size: C.size_t(len(bytes))}
}

func (m *memory) list(items [][]byte) *C.pintle_bytes {
	if len(items) == 0 {
		return nil
	}
	block := C.calloc(C.size_t(len(items)), C.sizeof_pintle_bytes)
	m.blocks = append(m.blocks, block)
	list := unsafe.Slice((*C.pintle_bytes)(block), len(items))
	for index, item := range items {
		list[index] = m.bytes(item)
	}
	return &list[0]
}

// data points to bytes for the time of one call; to something in any case, as none at all are a file that is empty.
func data(bytes []byte) unsafe.Pointer {
	if len(bytes) == 0 {
		return unsafe.Pointer(&[1]byte{})
	}
	return unsafe.Pointer(&bytes[0])
}
