package main

import (
	"syscall"
	"unsafe"
)

// The clock of a process's processor time, in the bits below the complement of its number
// (clock_getcpuclockid of the C library).
const processClock = 2

// processorSeconds returns the processor time of a process, 0 if there is none.
func processorSeconds(process int) float64 {
	var taken syscall.Timespec
	clock := ^process<<3 | processClock
	_, _, failure := syscall.Syscall(
		syscall.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&taken)), 0)
	if failure != 0 {
		return 0
	}
	return float64(taken.Nano()) / 1e9
}
