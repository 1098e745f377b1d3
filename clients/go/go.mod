module example.org/pintle/clients/go

go 1.19
