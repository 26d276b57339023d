import { BehaviourFunctions } from './behaviour-functions.ts';
import { Meanings } from './meanings.ts';
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
    const meanings = new Meanings();
    const uses: { readonly node: Node; readonly name: string; readonly around: readonly Node[] }[] = [];
    const use = (node: Node, used: unknown): void => {
      const name = dottedName(used);
      if (name !== undefined && around.length > 0) uses.push({ node, name, around: [...around] });
    };
    const enter = (node: Node): void => {
      behaviours.enter(node);
      meanings.enter(node);
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
      ImportDeclaration: (node: Node): void => meanings.import(node),
      VariableDeclarator(node: Node): void {
        behaviours.declare(node);
        meanings.declare(node);
      },
      CallExpression(node: Node): void {
        behaviours.call(node);
        use(node, node['callee']);
        // Passed on, it is called all the same; the class itself is not.
        for (const given of nodesIn(node['arguments'])) if (dottedName(given) !== 'Date') use(given, given);
      },
      NewExpression(node: Node): void {
        if (nodesIn(node['arguments']).length === 0) use(node, node['callee']);
      },
      // A function may be passed before it is declared.
      'Program:exit'(): void {
        for (const { node, name, around } of uses) {
          const message = messageOf(meanings.of(name));
          if (message !== undefined && behaviours.hold(around)) context.report({ node, message });
        }
      },
    };
  },
};

function messageOf(name: string): string | undefined {
  if (timers.includes(name))
    return `${name} is no time limit in a behaviour: its run waits without it. Let the approval expire, or pass ctx.signal.`;
  const recorded = Object.hasOwn(unrecorded, name) ? unrecorded[name] : undefined;
  return recorded && `${name} gives something else at each replay of a behaviour: use ${recorded}.`;
}
