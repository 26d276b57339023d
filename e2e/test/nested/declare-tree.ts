import type { BehaviourContext } from '@waymark/agents';
import { type Json, Type } from '@waymark/contract';
import type { Application, RouteRequest } from '@waymark/server';
import { nodesOf, type TreeCall, type TreeNode } from './call-tree.ts';

/** A use of a tool that came to its handler. */
export interface Use {
  readonly leaf: string;
  readonly tool: string;
  readonly scopes: readonly string[];
  readonly rootId: string;
}

/** The tools of all trees: what reaches them is told. */
export function declareTools(app: Application, onUse: (use: Use) => void): void {
  const input = { leaf: Type.String() };
  const tell = (tool: string) => (given: { readonly leaf: string }, request: RouteRequest) => {
    const { scopes, root_id: rootId } = request.user;
    onUse({ leaf: given.leaf, tool, scopes, rootId });
    return { done: given.leaf };
  };
  const gated = { input, tool: true, approval: 'required', scopes: ['write'] } as const;
  app.get('/look', { input, tool: true, toolName: 'look', scopes: ['read'] }, tell('look'));
  app.post('/wire', { ...gated, toolName: 'wire' }, tell('wire'));
  app.post('/transfers', gated, tell('create_transfers'));
}

/** Declares every run of a tree. What the models of agents say stands in their prompts. */
export function declareTree(app: Application, root: TreeNode): void {
  for (const node of nodesOf(root)) {
    const { name, scopes, calls, kind } = node;
    const tools = [...new Set(calls.map(nameOf))];
    // Anybody may start them: what they may do is another question.
    const options = { scopes, exposeScopes: [], public: true };
    if (kind === 'flow') app.flow(name, { ...options, ...toFlow(node) });
    else if (kind === 'behaviour') {
      const known = tools.filter((tool) => tool === 'look' || isDeclared(tool));
      app.behaviour(name, { ...options, tools: known }, (ctx) => perform(ctx, node));
    } else if (!isHeir(root, node)) declareAgent(app, node, []);
  }
}

/** An heir goes on with the conversation: its own turns come after those of everybody before it. */
function declareAgent(
  app: Application,
  node: Extract<TreeNode, { kind: 'agent' }>,
  before: readonly string[],
): void {
  const { name, scopes, calls, perTurn, heir } = node;
  const turns: string[] = [];
  for (let at = 0; at < calls.length; at += perTurn)
    turns.push(
      `[[calls ${calls
        .slice(at, at + perTurn)
        .map(toDirective)
        .join(', ')}]]`,
    );
  if (heir) turns.push(`[[handoff ${heir.name} they go on]]`);
  const script = [...before, ...turns];
  app.agent(name, {
    ...{ scopes, exposeScopes: [], public: true, maxSteps: 40 },
    system: [...script, '[[say Done.]]'].join(' '),
    tools: [...new Set(calls.map(nameOf))].filter(isDeclared),
    handoffs: heir ? [heir.name] : [],
  });
  if (heir?.kind === 'agent') declareAgent(app, heir, script);
}

function isHeir(root: TreeNode, node: TreeNode): boolean {
  return nodesOf(root).some((one) => one.kind === 'agent' && one.heir === node);
}

function isDeclared(tool: string): boolean {
  return ['look', 'wire', 'create_transfers'].includes(tool) || /_n\d+$/.test(tool);
}

function nameOf(call: TreeCall): string {
  return 'run' in call ? call.run.name : call.tool;
}

function argumentsOf(call: TreeCall): { readonly [name: string]: Json } {
  if (!('run' in call)) return { leaf: call.leaf };
  return call.run.kind === 'agent' ? { input: 'Go on.' } : {};
}

function toDirective(call: TreeCall): string {
  // A name with a space or a slash is none in a script: what is left of it is as wrong.
  return `${nameOf(call).replaceAll(/\W/g, '_')} ${JSON.stringify(argumentsOf(call))}`;
}

function toFlow(node: Extract<TreeNode, { kind: 'flow' }>) {
  const steps = node.calls.map((call) => ({ tool: nameOf(call), input: argumentsOf(call) }));
  if (node.how === 'pipeline') return { pipeline: steps };
  if (node.how === 'parallel') return { parallel: steps };
  const route = Object.fromEntries(steps.map((step, i) => [`l${i}`, step]));
  return { route, classifyPrompt: 'One of {labels} for {input}. [[json {"label":"l0"}]]' };
}

async function perform(ctx: BehaviourContext, { calls, ...node }: TreeNode): Promise<unknown> {
  const how = node.kind === 'behaviour' ? node.how : 'series';
  const make = (call: TreeCall): Promise<unknown> =>
    'run' in call ? ctx.run(nameOf(call), argumentsOf(call)) : ctx.call(nameOf(call), argumentsOf(call));
  const made = (call: TreeCall): Promise<unknown> => make(call).catch((error: Error) => error.message);
  if (how === 'gather')
    return ctx.gather(
      calls.map((call) => [nameOf(call), argumentsOf(call)] as const),
      { returnExceptions: true },
    );
  if (how === 'all') return Promise.all(calls.map(made));
  if (how === 'race')
    return Promise.race([...calls.map(made), ctx.call('look', { leaf: 'race' }).catch(() => 0)]);
  const values: unknown[] = [];
  for (const call of calls) values.push(await made(call));
  return values;
}
