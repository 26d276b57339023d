import { statementsIn } from './statements.ts';
import { faultAt, type TemplateFault } from './template-fault.ts';

/** Finds what is shown without being escaped, by `{{{` or `{{&`. */
export function findRawOutput(tree: hbs.AST.Program): readonly TemplateFault[] {
  return statementsIn(tree)
    .filter((node) => node.type === 'MustacheStatement' && !(node as hbs.AST.MustacheStatement).escaped)
    .map((node) => {
      const { path } = node as hbs.AST.MustacheStatement;
      const name = String((path as hbs.AST.PathExpression).original);
      return faultAt(node, 'template-raw', `{{{${name}}}} is not escaped: whoever wrote it can run scripts`, {
        severity: 'warning',
        fix: `write {{${name}}}`,
      });
    });
}
