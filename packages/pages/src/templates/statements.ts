/** Every statement of a template, those in its blocks included. */
export function statementsIn(program: hbs.AST.Program | undefined): readonly hbs.AST.Statement[] {
  return (program?.body ?? []).flatMap((node) => {
    const { program: inner, inverse } = node as Partial<hbs.AST.BlockStatement>;
    return [node, ...statementsIn(inner), ...statementsIn(inverse)];
  });
}
