import { HTTPError } from '@waymark/contract';
import type { Message } from '@waymark/contract/models';
import { BudgetExhausted, type RunEnd } from '@waymark/contract/runs';
import type { AgentTurn } from '../agent/agent-input.ts';
import type { Actor } from './actor.ts';
import { answerCalls } from './answer-calls.ts';
import { askModel, type ModelStep } from './ask-model.ts';
import { Compaction } from './compaction.ts';
import { Conversation } from './conversation.ts';
import { readContexts } from './read-contexts.ts';
import type { RunWork } from './run-work.ts';

/** How an agent's run ends when nothing fails. */
type Ending = 'completed' | 'max_tokens' | 'step_limit' | 'budget_exhausted';

/**
 * Runs an agent to its end: model and tools by turns, until the model has nothing more to call. Everything it does and
 * decides is a journaled step, so that the same rows lead to the same place.
 *
 * @returns what the model said last; with another status than `completed`, what it had said until then
 */
export async function runAgent(turn: AgentTurn, work: RunWork): Promise<RunEnd<string>> {
  const { scope, entry } = work;
  // What was said in this session was written by this very function.
  const history = (await scope.history()) as readonly Message[];
  const actor: Actor = { settings: entry, principal: scope.principal };
  const contexts = await readContexts(contextsOf(work), actor, work);
  const conversation = new Conversation(history, turn.message, contexts);
  return new AgentRun(conversation, actor, work, turn.stream).toEnd();
}

class AgentRun {
  readonly #conversation: Conversation;
  readonly #compaction: Compaction;
  readonly #work: RunWork;
  readonly #stream: boolean;
  #actor: Actor;
  #steps = 0;
  #output = '';

  constructor(conversation: Conversation, actor: Actor, work: RunWork, stream: boolean) {
    this.#conversation = conversation;
    this.#compaction = new Compaction(work, conversation);
    this.#actor = actor;
    this.#work = work;
    this.#stream = stream;
  }

  async toEnd(): Promise<RunEnd<string>> {
    const status = await this.#converse();
    return { status, value: this.#output, session: this.#conversation.toSession() };
  }

  async #converse(): Promise<Ending> {
    const { maxSteps } = this.#work.scope;
    try {
      while (maxSteps === null || this.#steps < maxSteps) {
        const ending = await this.#takeStep();
        if (ending) return ending;
      }
      return 'step_limit';
    } catch (error) {
      if (error instanceof BudgetExhausted) return 'budget_exhausted';
      throw error;
    }
  }

  /** @returns undefined while the run goes on */
  async #takeStep(): Promise<Ending | undefined> {
    await this.#compaction.whenLarge(this.#steps);
    this.#steps++;
    const reply = await this.#ask();
    if (!reply) return undefined;
    const { message, stop } = reply;
    const text = textOf(message);
    if (stop === 'context_window' && (await this.#compaction.now(this.#steps))) return undefined;
    this.#output = text || this.#output;
    this.#conversation.add(message);
    // What was cut off may be half a call.
    if (stop === 'max_tokens' || stop === 'context_window') return 'max_tokens';
    if (stop === 'refusal') return answeredBy(text);
    if (message.parts.some(({ type }) => type === 'tool_call')) return this.#answer(message);
    if (stop === 'pause') return undefined;
    this.#output = text;
    return 'completed';
  }

  /** @returns undefined where the conversation was too long and is shorter now */
  async #ask(): Promise<ModelStep | undefined> {
    try {
      return await askModel(this.#conversation, this.#actor, this.#work, this.#stream);
    } catch (error) {
      if (isTooLong(error) && (await this.#compaction.now(this.#steps))) return undefined;
      throw error;
    }
  }

  async #answer(said: Message): Promise<undefined> {
    const { message, next } = await answerCalls(said, this.#actor, this.#work);
    this.#conversation.add(message);
    if (!next) return;
    this.#actor = next.actor;
    this.#conversation.tell(await readContexts(next.contexts, next.actor, this.#work));
  }
}

/** The contexts the run began with: a declaration that changed meanwhile changes nothing of its rows. */
function contextsOf({ scope, entry }: RunWork): readonly string[] {
  const { definition } = scope;
  const stored =
    typeof definition === 'object' && definition !== null && 'contexts' in definition && definition.contexts;
  return Array.isArray(stored) ? stored : entry.context;
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

/** A model that says why it refuses has answered. @throws {HTTPError} 502 it says nothing */
function answeredBy(text: string): 'completed' {
  if (text.trim() === '') throw new HTTPError(502, 'the model refused to answer', { code: 'refusal' });
  return 'completed';
}

function isTooLong(error: unknown): boolean {
  return error instanceof HTTPError && error.members.code === 'context_window';
}
