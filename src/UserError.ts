/** Something that whoever started us can mend; the message is all they need, one line where it can be. */
export class UserError extends Error {}
