"""Orders one proxy: the program that `proxysim sweep` runs once per failure."""

import os

from reseller import Reseller

api = Reseller(os.environ["PROXYSIM_URL"], os.environ["PROXYSIM_LOGIN"], os.environ["PROXYSIM_PASSWORD"])
product = next(product for product in api.products() if product["productId"] == 101)
print("Service", api.order(11, product))
