// Orders one proxy: the program that `proxysim sweep` runs once per failure.
package main

import (
	"fmt"
	"log"
	"os"

	"example.com/reseller"
)

func main() {
	api := reseller.New(os.Getenv("PROXYSIM_URL"), os.Getenv("PROXYSIM_LOGIN"), os.Getenv("PROXYSIM_PASSWORD"))
	products, err := api.Products()
	if err != nil {
		log.Fatal(err)
	}
	for _, product := range products {
		if product.ID == 101 {
			id, err := api.Order(11, product)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println("Service", id)
		}
	}
}
