import { nearestOr } from '@waymark/contract/declaring';
import { statementsIn } from './statements.ts';
import { faultAt, type TemplateFault } from './template-fault.ts';

/** The place where a layout puts what it was wrapped around. */
const wrapped = '@partial-block';

/** The partials that a template declares itself, with `{{#*inline "name"}}`. */
export function inlineNames(tree: hbs.AST.Program): readonly string[] {
  return statementsIn(tree)
    .filter((node): node is hbs.AST.DecoratorBlock => node.type === 'DecoratorBlock')
    .flatMap(({ params: [name] }) =>
      name?.type === 'StringLiteral' ? [(name as hbs.AST.StringLiteral).value] : [],
    );
}

/** Finds partials that do not exist, and those with a computed name, which cannot be checked at the start. */
export function checkPartials(
  tree: hbs.AST.Program,
  partials: ReadonlySet<string>,
): readonly TemplateFault[] {
  return statementsIn(tree)
    .filter((node): node is hbs.AST.PartialStatement => isPartial(node))
    .flatMap((node) => {
      const name = partialName(node);
      if (name === undefined)
        return [
          faultAt(node, 'template-partial', 'the name of a partial is worked out', {
            fix: 'write its name, in {{#if}} where it depends on something',
          }),
        ];
      if (name === wrapped || partials.has(name)) return [];
      const fix = `add partials/${name}.hbs to the templates`;
      return [faultAt(node, 'template-partial', `unknown partial "${name}"`, nearestOr(fix, name, partials))];
    });
}

function isPartial({ type }: hbs.AST.Statement): boolean {
  return type === 'PartialStatement' || type === 'PartialBlockStatement';
}

/** Paths and literals have the name as it stands; an expression has none before it runs. */
function partialName({ name }: hbs.AST.PartialStatement): string | undefined {
  return name.type === 'SubExpression' ? undefined : String(name.original);
}
