// Generated from src/service/kinds/ by `npx tsx scripts/generate.ts`. Do not edit.

/** The records of an account, as the dashboard shows and edits them. */
export const kinds = {
  "services": {
    "noun": "service",
    "hint": "Order one with New request.",
    "owners": {
      "client": "clients",
      "product": "products"
    },
    "columns": [
      { "field": "product_name", "title": "Product", "type": "text" },
      { "field": "status", "title": "Status", "type": "serviceStatus" },
      { "field": "nextduedate", "title": "Due", "type": "date" },
      { "field": "bindedip", "title": "Bound IP", "type": "boundAddress" },
      { "field": "client", "title": "Client", "type": "id" },
      { "field": "product_type", "title": "Type", "type": "productType" },
      { "field": "price", "title": "Price", "type": "usd" }
    ],
    "form": [
      { "field": "status", "options": [ "Active", "Pending", "Suspended", "Terminated", "Cancelled", "Fraud" ] },
      { "field": "nextduedate" },
      { "field": "bindedip", "only": "fpr" },
      { "field": "price" }
    ]
  },
  "invoices": {
    "noun": "invoice",
    "hint": "An order creates one.",
    "owners": {
      "serviceid": "services"
    },
    "columns": [
      { "field": "description", "title": "Description", "type": "longText" },
      { "field": "status", "title": "Status", "type": "invoiceStatus" },
      { "field": "created_at", "title": "Created", "type": "date" },
      { "field": "serviceid", "title": "Service", "type": "id" },
      { "field": "amount", "title": "Amount", "type": "usd" }
    ],
    "form": [
      { "field": "status", "options": [ "Unpaid", "Paid", "Cancelled", "Refunded", "Collections", "Payment Pending", "Pending" ] },
      { "field": "date_paid" },
      { "field": "amount" }
    ]
  },
  "clients": {
    "noun": "client",
    "hint": "Orders need one. Add one in YAML.",
    "owners": {},
    "columns": [
      { "field": "email", "title": "E-mail", "type": "text" }
    ],
    "form": [
      { "field": "email" }
    ]
  },
  "products": {
    "noun": "product",
    "hint": "Add one in YAML.",
    "owners": {},
    "columns": [
      { "field": "productName", "title": "Name", "type": "text" },
      { "field": "groupName", "title": "Group", "type": "text" },
      { "field": "product_type", "title": "Type", "type": "productType" },
      { "field": "product_hidden", "title": "Hidden", "type": "flag" },
      { "field": "price", "title": "Price", "type": "usd" }
    ],
    "form": [
      { "field": "productName" },
      { "field": "price" }
    ]
  }
} as const
