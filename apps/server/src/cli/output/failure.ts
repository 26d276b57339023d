/** Something went wrong that needs no stack to be understood: exit code 1, and its message alone. */
export class Failure extends Error {
  override readonly name = 'Failure';
}
