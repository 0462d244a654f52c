import { listedFacts, type Shows } from './facts.ts'

export const listProducts: Shows = {
  success({ body }, { assumptions }) {
    const isVisible = assumptions.hiddenProducts === 'unlisted'
    const addedFields = isVisible ? { product_hidden: false, group_hidden: false } : {}
    return listedFacts('products', body, 'productId', addedFields)
  },
}
