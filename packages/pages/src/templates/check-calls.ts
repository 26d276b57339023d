import { nearestOr } from '@waymark/contract/declaring';
import { maxTemplateDepth } from './parse-template.ts';
import { faultAt, type TemplateFault } from './template-fault.ts';

type Call = Pick<hbs.AST.SubExpression, 'path' | 'params' | 'loc'>;

/** Helpers around a part of the template, and helpers that give a value, with how many arguments they take. */
const blocks: ReadonlyMap<string, number> = new Map([
  ['if', 1],
  ['unless', 1],
  ['each', 1],
  ['with', 1],
]);
const values: ReadonlyMap<string, number> = new Map([['lookup', 2]]);

/** Names that Handlebars keeps for itself, or whose helper writes to the console of the server. */
const reserved = new Set(['helperMissing', 'blockHelperMissing', 'log']);

const known = [...blocks.keys(), ...values.keys()];

/** Finds calls of helpers that there are not, or with the wrong arguments, and levels too deep to walk safely. */
export function checkCalls(tree: hbs.AST.Program): readonly TemplateFault[] {
  return checkProgram(tree, 0);
}

function checkProgram(program: hbs.AST.Program | undefined, depth: number): readonly TemplateFault[] {
  const [first, ...rest] = program?.body ?? [];
  if (!first) return [];
  return depth > maxTemplateDepth
    ? [tooDeep(first)]
    : [first, ...rest].flatMap((node) => checkStatement(node, depth));
}

function checkStatement(node: hbs.AST.Statement, depth: number): readonly TemplateFault[] {
  switch (node.type) {
    case 'MustacheStatement':
      return checkCall(node as hbs.AST.MustacheStatement & Call, values, blocks, depth);
    case 'BlockStatement': {
      const block = node as hbs.AST.BlockStatement;
      return [
        ...checkCall(block, blocks, values, depth),
        ...checkProgram(block.program, depth + 1),
        ...checkProgram(block.inverse, depth + 1),
      ];
    }
    case 'PartialStatement':
    case 'PartialBlockStatement': {
      const partial = node as hbs.AST.PartialBlockStatement;
      return [...checkArguments(partial, depth), ...checkProgram(partial.program, depth + 1)];
    }
    case 'DecoratorBlock': {
      const block = node as hbs.AST.DecoratorBlock;
      return [...checkDecorator(block), ...checkProgram(block.program, depth + 1)];
    }
    case 'Decorator':
      return checkDecorator(node as hbs.AST.Decorator & Call);
    default:
      return [];
  }
}

/** The path may be a value of the context, or a helper with its arguments. */
function checkCall(
  node: Call & { readonly hash?: hbs.AST.Hash | undefined },
  here: ReadonlyMap<string, number>,
  elsewhere: ReadonlyMap<string, number>,
  depth: number,
): readonly TemplateFault[] {
  const { path, params } = node;
  const name = helperName(path);
  const wanted = name === undefined ? undefined : here.get(name);
  const called = params.length > 0 || node.hash !== undefined;
  if (wanted !== undefined)
    return params.length === wanted
      ? checkArguments(node, depth)
      : [
          faultAt(node, 'template-helper', `{{${name}}} has ${params.length} arguments`, {
            fix: `give it ${wanted}`,
          }),
        ];
  if (!called && (name === undefined || (!elsewhere.has(name) && !reserved.has(name)))) return [];
  return [unknownHelper(node, String(path.original), elsewhere)];
}

function unknownHelper(node: Call, name: string, elsewhere: ReadonlyMap<string, number>): TemplateFault {
  if (elsewhere.has(name)) {
    const form = blocks.has(name) ? `{{#${name} …}}…{{/${name}}}` : `{{${name} …}}`;
    return faultAt(node, 'template-helper', `{{${name}}} is in the wrong place`, { fix: `write ${form}` });
  }
  const fix = `take it out, or work it out before; there are ${known.join(', ')}`;
  return faultAt(node, 'template-helper', `unknown helper "${name}"`, nearestOr(fix, name, known));
}

function checkArguments(
  {
    params,
    hash,
  }: { readonly params: readonly hbs.AST.Expression[]; readonly hash?: hbs.AST.Hash | undefined },
  depth: number,
): readonly TemplateFault[] {
  const inner = [...params, ...(hash?.pairs ?? []).map(({ value }) => value)];
  return inner
    .filter((node) => node.type === 'SubExpression')
    .flatMap((node) =>
      depth > maxTemplateDepth
        ? [tooDeep(node)]
        : checkCall(node as hbs.AST.SubExpression, values, blocks, depth + 1),
    );
}

function tooDeep(node: hbs.AST.Node): TemplateFault {
  const fix = 'move the inner ones into partials';
  return faultAt(node, 'template-size', `it has more than ${maxTemplateDepth} levels`, { fix });
}

function checkDecorator(node: Call): readonly TemplateFault[] {
  const [name] = node.params;
  const inline = node.path.original === 'inline' && 'program' in node;
  return inline && name?.type === 'StringLiteral'
    ? []
    : [
        faultAt(node, 'template-helper', `unknown decorator "${String(node.path.original)}"`, {
          fix: 'write {{#*inline "name"}}…{{/inline}}, or a partial of its own',
        }),
      ];
}

/** The name by which a helper would be called; undefined for `this.name`, `../name`, `@name` and literals. */
function helperName(path: hbs.AST.PathExpression | hbs.AST.Literal): string | undefined {
  if (path.type !== 'PathExpression') return undefined;
  const { data, depth, parts, original } = path as hbs.AST.PathExpression;
  return !data && depth === 0 && parts.length === 1 && parts[0] === original ? original : undefined;
}
