import { isObject, type JsonObject, objectsOf, textOf } from '../json.ts';
import type { Quirk } from '../quirks.ts';
import { checkBlocks } from './check-blocks.ts';
import { blocksOf } from './content.ts';
import { refuse } from './refuse.ts';

/** Checks the messages: roles, contents, and that calls and results belong to each other. @throws {Refusal} */
export function checkMessages(messages: unknown, quirks: ReadonlySet<Quirk>, isNew: boolean): void {
  if (messages === undefined) throw refuse('messages: Field required');
  if (!Array.isArray(messages)) throw refuse('messages: Input should be a valid list');
  if (messages.length === 0) throw refuse('messages: at least one message is required');
  messages.forEach((message: unknown, index) => {
    const last = index === messages.length - 1;
    checkMessage(message, { at: `messages.${index}`, last, quirks, isNew });
  });
  const all = objectsOf(messages);
  if (all[0]?.['role'] === 'assistant') throw refuse('messages: first message must use the "user" role');
  const joined = joinTurns(all);
  checkCalls(joined, quirks);
  checkResults(joined);
}

interface Place {
  readonly at: string;
  readonly last: boolean;
  readonly quirks: ReadonlySet<Quirk>;
  readonly isNew: boolean;
}

function checkMessage(message: unknown, { at, last, quirks, isNew }: Place): void {
  if (!isObject(message)) throw refuse(`${at}: Input should be a valid dictionary`);
  const { role, content } = message;
  if (role === 'system' && !isNew) {
    throw refuse(
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    );
  }
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw refuse(`messages: Unexpected role "${String(role)}". Allowed roles are "user" or "assistant".`);
  }
  if (content === undefined) throw refuse(`${at}.content: Field required`);
  if (typeof content !== 'string' && !Array.isArray(content)) {
    throw refuse(`${at}.content: Input should be a valid list`);
  }
  const prefilled = last && role === 'assistant';
  if (content.length === 0 && !prefilled) {
    throw refuse(
      `${at}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  if (Array.isArray(content)) checkBlocks(content, { role, at: `${at}.content`, quirks, isNew });
  const ending = blocksOf(content).at(-1);
  if (prefilled && ending?.['type'] === 'text' && /\s$/.test(textOf(ending['text']))) {
    throw refuse('messages: final assistant content cannot end with trailing whitespace');
  }
}

interface Joined {
  /** Of the first message. */
  readonly index: number;
  readonly role: unknown;
  readonly blocks: readonly JsonObject[];
}

/** The service reads messages of one role that follow each other as one. */
function joinTurns(messages: readonly JsonObject[]): Joined[] {
  const turns: Joined[] = [];
  messages.forEach(({ role, content }, index) => {
    if (role === 'system') return;
    const last = turns.at(-1);
    if (last && last.role === role) {
      turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...blocksOf(content)] };
    } else turns.push({ index, role, blocks: blocksOf(content) });
  });
  return turns;
}

/** Every call has its result in the next message, before anything else. */
function checkCalls(turns: readonly Joined[], quirks: ReadonlySet<Quirk>): void {
  const seen = new Set<string>();
  turns.forEach(({ index, role, blocks }, position) => {
    if (role !== 'assistant') return;
    const ids = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => textOf(id));
    for (const id of ids) {
      if (seen.has(id) && !quirks.has('duplicate_ids'))
        throw refuse('messages: `tool_use` ids must be unique');
      seen.add(id);
    }
    const next = turns[position + 1];
    const results = leadingResults(next).map(({ tool_use_id: id }) => textOf(id));
    const missing = ids.filter((id) => !results.includes(id));
    if (missing.length > 0) {
      throw refuse(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    }
  });
}

function leadingResults(turn: Joined | undefined): readonly JsonObject[] {
  const blocks = turn?.blocks ?? [];
  const end = blocks.findIndex(({ type }) => type !== 'tool_result');
  return end < 0 ? blocks : blocks.slice(0, end);
}

/** Every result belongs to one call of the message before. */
function checkResults(turns: readonly Joined[]): void {
  turns.forEach(({ index, role, blocks }, position) => {
    if (role !== 'user') return;
    const called = turns[position - 1]?.blocks.filter(({ type }) => type === 'tool_use') ?? [];
    const expected = called.map(({ id }) => textOf(id));
    blocks.forEach(({ type, tool_use_id: given }, at) => {
      if (type !== 'tool_result') return;
      const id = textOf(given);
      const found = expected.indexOf(id);
      if (found >= 0) {
        expected.splice(found, 1);
        return;
      }
      if (called.some((call) => call['id'] === id)) {
        throw refuse(
          `messages.${index}.content.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
        );
      }
      throw refuse(
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    });
  });
}
