import { BehaviourFunctions } from './behaviour-functions.ts';
import { dottedName, type Node, nodesIn } from './node.ts';

/** What a linter gives a rule. */
export interface RuleContext {
  report(problem: { readonly node: Node; readonly message: string }): void;
}

/** What is another one at each replay, and what is recorded instead. */
const unrecorded: Readonly<Record<string, string>> = {
  Date: 'ctx.now()',
  'Date.now': 'ctx.now()',
  'performance.now': 'ctx.now()',
  'process.hrtime': 'ctx.now()',
  'process.hrtime.bigint': 'ctx.now()',
  'process.uptime': 'ctx.now()',
  'Math.random': 'ctx.random()',
  randomInt: 'ctx.random()',
  randomBytes: 'ctx.random()',
  'crypto.randomInt': 'ctx.random()',
  'crypto.randomBytes': 'ctx.random()',
  'crypto.getRandomValues': 'ctx.random()',
  randomUUID: 'ctx.uuid()',
  'crypto.randomUUID': 'ctx.uuid()',
};

const timers: readonly string[] = ['setTimeout', 'setInterval', 'setImmediate'];

/**
 * Forbids clocks, chance and timers in the code of behaviours: it is run again from its start whenever its run goes on,
 * and must ask for the same steps each time. In ESLint's form, which oxlint takes, too.
 */
export const noClockOutsideCtx = {
  meta: {
    type: 'problem',
    docs: { description: 'Clocks, chance and timers of a behaviour are those of its ctx.' },
  },
  create(context: RuleContext) {
    const behaviours = new BehaviourFunctions();
    const around: Node[] = [];
    const uses: { readonly node: Node; readonly message: string; readonly around: readonly Node[] }[] = [];
    const use = (node: Node, message: string | undefined): void => {
      if (message !== undefined) uses.push({ node, message, around: [...around] });
    };
    const enter = (node: Node): void => {
      behaviours.enter(node);
      around.push(node);
    };
    const leave = (): void => void around.pop();
    return {
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
      'FunctionDeclaration:exit': leave,
      'FunctionExpression:exit': leave,
      'ArrowFunctionExpression:exit': leave,
      VariableDeclarator: (node: Node): void => behaviours.declare(node),
      CallExpression(node: Node): void {
        behaviours.call(node);
        use(node, messageOf(dottedName(node['callee'])));
      },
      NewExpression(node: Node): void {
        const isNow = dottedName(node['callee']) === 'Date' && nodesIn(node['arguments']).length === 0;
        use(node, isNow ? messageOf('Date') : undefined);
      },
      // A function may be passed before it is declared.
      'Program:exit'(): void {
        for (const { node, message, around } of uses)
          if (behaviours.hold(around)) context.report({ node, message });
      },
    };
  },
};

function messageOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  if (timers.includes(name))
    return `${name} is no time limit in a behaviour: its run waits without it. Let the approval expire, or pass ctx.signal.`;
  const recorded = Object.hasOwn(unrecorded, name) ? unrecorded[name] : undefined;
  return recorded && `${name} gives something else at each replay of a behaviour: use ${recorded}.`;
}
