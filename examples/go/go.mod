module example.com/reseller

go 1.19
