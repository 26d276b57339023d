import { DeclarationError, type Problem } from '@waymark/contract';
import { type Fault, isError, isOptions, toProblems } from '@waymark/contract/declaring';
import { type Database, type Host, HostError, type Plugin } from '@waymark/contract/engine';
import type { ModelClient } from '@waymark/contract/models';
import type { AuditEvent } from '@waymark/contract/stores';
import type { AgentDeclaration } from './agent/agent.ts';
import { agentRoutes } from './agent/agent-routes.ts';
import { type AgentSettings, toSettings } from './agent/agent-settings.ts';
import { agentsListing } from './agent/agents-listing.ts';
import { checkAgent, checkAgentName, isAgentName } from './agent/check-agent.ts';
import { checkReferences } from './agent/check-references.ts';
import type { BehaviourDeclaration } from './behaviour/behaviour.ts';
import { behaviourRoutes } from './behaviour/behaviour-routes.ts';
import { toBehaviourSettings } from './behaviour/behaviour-settings.ts';
import { behavioursListing } from './behaviour/behaviours-listing.ts';
import { checkBehaviour, checkBehaviourForm, checkBehaviourUses } from './behaviour/check-behaviour.ts';
import type { BehaviourParts } from './behaviour-run/behaviour-work.ts';
import { checkContext } from './context/check-context.ts';
import type { ContextDeclaration } from './context/context.ts';
import { toProvider } from './context/context-provider.ts';
import { type ContextFault, fault } from './context/context-rules.ts';
import { prepareSql, type ReadRows } from './context/context-sql.ts';
import { contextsListing } from './context/contexts-listing.ts';
import { agentLimits } from './limits.ts';
import type { AgentParts } from './run/run-work.ts';

/** Declaration of an agent, a behaviour or a context provider: what `createAgents` takes. */
export type AgentsDeclaration = AgentDeclaration | BehaviourDeclaration | ContextDeclaration;

/** Options of `createAgents`. */
export interface CreateAgentsOptions {
  /**
   * Tells whether the host has a database, which contexts with SQL need. Default: unknown, and such contexts make the
   * plugin ask for one in its `needs`.
   */
  readonly database?: boolean;
}

/**
 * Makes the plugin of declared agents, behaviours and context providers.
 *
 * Its check finds what is wrong with them and with what they refer to. Its start takes the models of the host, and
 * compares the statements of contexts with its database.
 */
export function createAgents(
  declarations: readonly AgentsDeclaration[],
  { database }: CreateAgentsOptions = {},
): Plugin {
  const agents = declarations.filter((one) => one.kind === 'agent');
  const contexts = declarations.filter((one) => one.kind === 'context');
  const behaviours = declarations.filter((one) => one.kind === 'behaviour');
  const settings = uniqueSettings(agents);
  // What an agent is called no behaviour is: an agent is told by its name in more places.
  const formOf = (one: BehaviourDeclaration, i: number) =>
    checkBehaviourForm(one, [...agents, ...behaviours.slice(0, i)]);
  const code = behaviours.filter((one, i) => formOf(one, i).length === 0).map(toBehaviourSettings);
  const rows = new Map<ContextDeclaration, ReadRows>();
  const providers = contexts.map((one) => toProvider(one, () => rows.get(one)));
  let host: Host | undefined;
  const parts: AgentParts & BehaviourParts = {
    agents: new Map(settings.map((one) => [one.name, one])),
    contexts: new Map(providers.map((one) => [one.name, one])),
    models: () => modelsOf(host),
    emit: (event: AuditEvent) => host?.emit(event),
    now: () => host?.now() ?? Date.now(),
  };
  const known = { agents: parts.agents, contexts: new Set(parts.contexts.keys()) };
  const readers = contexts.filter(({ options }) => isOptions(options) && options.sql !== undefined);
  const ownProblems = [
    ...agents.flatMap((one, i) =>
      problemsOf(one, [...checkAgentName(one, agents.slice(0, i)), ...checkAgent(one)]),
    ),
    ...behaviours.flatMap((one, i) => problemsOf(one, [...formOf(one, i), ...checkBehaviour(one)])),
    ...contexts.flatMap((one, i) => problemsOf(one, checkContext(one, contexts.slice(0, i)))),
    ...(database === false ? readers.flatMap((one) => problemsOf(one, [withoutDatabase])) : []),
  ];
  return {
    name: 'agents',
    routes: [
      ...settings.flatMap((one) => agentRoutes(one, parts)),
      ...code.flatMap((one) => behaviourRoutes(one, parts)),
      agentsListing(settings),
      behavioursListing(code),
      contextsListing(providers),
    ],
    needs: [
      ...(settings.length + code.length > 0 ? (['runner'] as const) : []),
      // Code may well do without.
      ...(settings.length > 0 ? (['models'] as const) : []),
      ...(readers.length > 0 && database === undefined ? (['database'] as const) : []),
    ],
    limits: () => (declarations.length === 0 ? [] : agentLimits),
    check: (boot) => [
      ...ownProblems,
      ...settings.flatMap((one) =>
        toProblems(titleOf('agent', one.name), one.declaredAt, checkReferences(one, known, boot)),
      ),
      ...code.flatMap((one) =>
        toProblems(
          titleOf('behaviour', one.name),
          one.declaredAt,
          checkBehaviourUses(one, known.contexts, boot),
        ),
      ),
    ],
    async start(started) {
      const broken = ownProblems.filter(isError);
      if (broken.length > 0) throw new DeclarationError(broken);
      host = started;
      const found: Problem[] = [];
      for (const one of readers) found.push(...problemsOf(one, await prepare(one, started.database, rows)));
      if (found.length > 0) throw new DeclarationError(found);
    },
  };
}

/** Those that can be told apart by their names; the check speaks of the others. */
function uniqueSettings(agents: readonly AgentDeclaration[]): readonly AgentSettings[] {
  return agents
    .filter((one, i) => checkAgentName(one, agents.slice(0, i)).length === 0 && isAgentName(one.name))
    .map(toSettings);
}

function modelsOf(host: Host | undefined): ModelClient {
  if (!host) throw new HostError('agents and behaviours have not started');
  if (!host.models) throw new Error('agents and behaviours ask models, and the host has none');
  return host.models;
}

async function prepare(
  declaration: ContextDeclaration,
  database: Database | undefined,
  rows: Map<ContextDeclaration, ReadRows>,
): Promise<readonly ContextFault[]> {
  const { sql = '', params = [], returns = 'many' } = declaration.options;
  if (!database) return [withoutDatabase];
  const prepared = await prepareSql(sql, { params, returns }, database);
  if (!prepared.ok) return prepared.faults;
  rows.set(declaration, prepared.read);
  return [];
}

const withoutDatabase: ContextFault = fault(
  'context-database',
  'it runs SQL, and there is no database',
  "write database: 'sqlite://app.db'",
);

function problemsOf(
  { kind, name, declaredAt }: AgentsDeclaration,
  faults: readonly Fault[],
): readonly Problem[] {
  return toProblems(titleOf(kind, name), declaredAt, faults);
}

function titleOf(kind: string, name: unknown): string {
  return typeof name === 'string' ? `${kind} ${JSON.stringify(name.slice(0, 80))}` : kind;
}
