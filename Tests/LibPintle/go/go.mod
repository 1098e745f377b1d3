module example.org/pintle

go 1.19
