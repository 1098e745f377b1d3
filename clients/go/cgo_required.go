//go:build !cgo

package pintle

// The compiler's error is the message: with CGO_ENABLED=0, or without a C compiler, Go leaves out the files that call
// C.
var _ = this_package_needs_cgo_set_CGO_ENABLED_1_and_install_a_C_compiler_such_as_gcc
