// The real service sends the amounts of invoices in cents.
export function listInvoices(_call, original) {
  const response = original()
  if (response.status !== 200) return response
  return { ...response, body: response.body.map((invoice) => ({ ...invoice, amount: invoice.amount * 100 })) }
}

// The real service adds the client's id to the error about an unknown client, and asks for a pause.
export function orderService({ body }, original) {
  const response = original()
  if (response.status !== 422) return response
  return { ...response, body: { ...response.body, clientid: body?.clientid }, headers: { 'Retry-After': 5 } }
}
