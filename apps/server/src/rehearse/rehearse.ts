import { DeclarationError } from '@waymark/contract';
import { isError, isOptions } from '@waymark/contract/declaring';
import type { Plugin } from '@waymark/contract/engine';
import { createDispatcher, createHost, createIds, startPlugins } from '@waymark/core-routes';
import { readFrameType, toReading } from '@waymark/device-hub';
import { rehearseWatch } from '@waymark/watchers';
import { openState } from '../boot/open-state.ts';
import { type Composition, compose } from '../compose/compose.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { type Rehearsal, RehearsalError, type RehearsalOptions } from './rehearsal.ts';
import { toRehearsed } from './rehearsed-declarations.ts';
import { targetOf, withStandIn } from './stand-in-models.ts';
import { type StandIn, startStandIn } from './start-stand-in.ts';
import { WouldCalls } from './would-calls.ts';

/**
 * Puts together as much of an application as the runs of one watcher take: nobody is called but the model, and what is kept
 * is kept in memory.
 *
 * @throws {DeclarationError} something that it needs is declared wrongly
 * @throws {RehearsalError} there is no such watcher or model, or its key is not set
 */
export async function rehearse(
  given: Declarations,
  watcher: string,
  { model }: RehearsalOptions,
): Promise<Rehearsal> {
  const { declarations, watch, unread } = toRehearsed(given, watcher);
  const agent = String(watch.options.agent);
  const chosen =
    model === undefined || model === standInModel ? declarations : withModel(declarations, agent, model);
  const first = compose(chosen);
  const declaredModel = modelOf(chosen, agent);
  if (chosen !== declarations) refuseModel(declaredModel, first);
  refuseProblems(chosen, first);
  const missing = first.models.missingKeys(declaredModel);
  if (missing.length > 0 && model !== undefined && model !== standInModel)
    throw new RehearsalError(
      `the model "${model}" has no key: set ${missing.join(' or ')}, or take simulator`,
    );
  const models = first.models.describe();
  const standIn = missing.length > 0 || model === standInModel ? await startStandIn() : undefined;
  if (standIn) await first.outbound.close();
  const composition = standIn ? compose(withStandIn(chosen, models, standIn.url)) : first;
  try {
    const stage = await startStage(chosen, composition, standIn);
    const { calls, host } = stage;
    const rehearsal = rehearseWatch(watch, host);
    return {
      ...rehearsal,
      ...{ watcher, unread, model: targetOf(declaredModel, models), simulated: standIn !== undefined },
      readFrame(bytes) {
        const device = chosen.declared.devices.find(({ name }) => name === rehearsal.device);
        // A device that there is not was a problem above.
        if (!device) throw new Error(`there is no device "${rehearsal.device}"`);
        return { mediaType: readFrameType(bytes, device), bytes };
      },
      readReading: toReading,
      async show(sight, cancel) {
        const look = await rehearsal.show(sight, cancel);
        return { ...look, calls: calls.take() };
      },
      close: stage.close,
    };
  } catch (error) {
    await standIn?.close();
    throw error;
  }
}

/** Names the stand-in where a model is chosen. */
const standInModel = 'simulator';

function withModel(declarations: Declarations, agent: string, model: string): Declarations {
  const { declared } = declarations;
  const agents = declared.agents.map((one) =>
    one.kind === 'agent' && one.name === agent && isOptions(one.options)
      ? { ...one, options: { ...one.options, model } }
      : one,
  );
  return { ...declarations, declared: { ...declared, agents } };
}

function modelOf({ declared }: Declarations, agent: string): string {
  const found = declared.agents.find((one) => one.kind === 'agent' && one.name === agent);
  return (found?.kind === 'agent' ? found.options.model : undefined) ?? 'default';
}

/** The parts that a run takes; keys, ports and pages are no matter of theirs. */
const parts: readonly string[] = ['models', 'agents', 'watchers'];

function refuseProblems({ callProblems, settings }: Declarations, composition: Composition): void {
  const { table, plugins, models, hub } = composition;
  const boot = { table, env: settings.env, models: models.client, devices: hub.devices };
  const found = [
    ...callProblems,
    ...table.problems,
    ...plugins.flatMap((one) => (parts.includes(one.name) ? (one.check?.(boot) ?? []) : [])),
  ].filter(isError);
  if (found.length > 0) throw new DeclarationError(found);
}

/** A model that is declared is a problem of the declarations; one that was chosen is none. */
function refuseModel(name: string, { models }: Composition): void {
  const problem = models.client.check(name);
  if (problem) throw new RehearsalError(`${problem.rule}; ${problem.fix}`);
}

interface Stage {
  readonly calls: WouldCalls;
  readonly host: ReturnType<typeof createHost>;
  close(): Promise<void>;
}

async function startStage(
  { database, settings }: Declarations,
  { table, plugins, runner, models, outbound }: Composition,
  standIn: StandIn | undefined,
): Promise<Stage> {
  table.freeze();
  const calls = new WouldCalls();
  const state = await openState(database, settings);
  const stopping = new AbortController();
  const dispatcher = createDispatcher(table, { runner, guards: [calls.guard], signal: stopping.signal });
  const host = createHost({
    ...{ table, dispatcher, runner, outbound, stores: state.stores, newId: createIds() },
    models: models.client,
    signal: stopping.signal,
    env: settings.env,
    // Nobody reads what the audit log of a rehearsal would say.
    emit: () => {},
  });
  const release = async (): Promise<void> => {
    await outbound.close();
    await state.close();
  };
  const started = await startPlugins(plugins.filter(takesPart), host).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  return {
    ...{ calls, host },
    async close() {
      stopping.abort(new DOMException('the rehearsal is over', 'AbortError'));
      await started.stop();
      await release();
      await standIn?.close();
    },
  };
}

/** What an application has added might call somebody when it starts. */
function takesPart({ name }: Plugin): boolean {
  return name === 'models' || name === 'runs' || name === 'agents';
}
