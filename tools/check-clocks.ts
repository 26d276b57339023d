// The clock on the wall is set, by people and by NTP: it is shown and stored, and nothing is counted by it.
import { Visitor } from 'oxc-parser';
import { lineAt, type ParsedFile, parseFile } from './lib/parse.ts';
import { type Finding, readWorkspaces, report, repositoryRoot, sourceFiles } from './lib/workspace.ts';

/** Files that may read it themselves, and why; everybody else is given `now`. A file that does not is no longer in here. */
const readers: Readonly<Record<string, string>> = {
  'apps/server/src/cli/dev/dev-loop.ts': 'two processes share no other clock, and it is only shown',
  'apps/server/src/cli/commands/backup.ts': 'copies are named after their time, and say it',
  'apps/server/src/cli/commands/restore.ts': 'what was there is named after the time',
  'apps/server/src/upkeep/migrate-at-start.ts': 'rows of migrations show their times',
  'apps/server/src/upkeep/upkeep.ts': 'rows of migrations show their times',
  'apps/server/src/boot/server-parts.ts': 'gives the audit log its times',
  'packages/agents/src/create-agents.ts': 'the clock of behaviours while there is no host',
  'packages/auth/src/create-authenticate.ts': 'tokens say their times by it',
  'packages/core-routes/src/host.ts': 'the one that others are given',
  'packages/core-routes/src/new-id.ts': 'ids show their time',
  'packages/core-routes/src/call/repeat-call.ts': 'an answer may say by it when to come again',
  'packages/data/src/sql-routes.ts': 'rows show their times, also before there is a host',
  'packages/embed/src/make-parts.ts': 'gives the audit log its times',
  'packages/http/src/socket/call-at.ts': 'tokens say by it when they end',
  'packages/http/src/log/create-log.ts': 'lines show their time',
  'packages/models/src/create-models.ts': 'providers may say by it when to come again',
};

/** Files that may count by it, and why. */
const counters: Readonly<Record<string, string>> = {
  'packages/auth/src/jwt/bearer-tokens.ts': 'tokens begin and end by it',
  'packages/auth/src/session/browser-sessions.ts': 'sessions end by it, whichever process opened them',
  'packages/control-plane/src/overview.ts': 'rows of runs and of the ledger keep their times by it',
  'packages/device-hub/src/device/device.ts': 'how old a frame is that another process took in',
  'packages/device-hub/src/routes/evidence-routes.ts': 'a link ends by it, whichever process gave it',
  'packages/device-hub/src/routes/mjpeg-stream.ts': 'a token ends by it, or when its time has passed',
  'packages/watchers/src/work/ceilings.ts': 'the ledger keeps the time of each row by it',
  'packages/watchers/src/work/watcher.ts': 'when the next tick is due is shown by it',
  'packages/http/src/socket/call-at.ts': 'a token ends by it, or when its time has passed',
  'packages/runs/src/leg/op.ts': 'an end is shown: so long after its begin as another clock says',
  'packages/runs/src/notices.ts': 'how long a run took that may be older than its process',
  'packages/outbox/src/sender/steady-clock.ts': 'where a clock that goes on by itself begins',
};

/** Every place that reads the clock on the wall, or counts by it, and has no reason to. */
export function checkClocks(root: string): Finding[] {
  return readWorkspaces(root).flatMap(({ dir }) =>
    sourceFiles(root, `${dir}/src`).flatMap((path) => {
      const file = parseFile(root, path);
      const { reads, counts } = usesIn(file);
      return [
        ...judge(
          file,
          reads,
          readers,
          'reads the clock on the wall: take `now` as an option, or from the host',
        ),
        ...judge(file, counts, counters, 'counts by the clock on the wall, which is set: use `monotonic`'),
      ];
    }),
  );
}

function judge(
  { path, text }: ParsedFile,
  offsets: readonly number[],
  allowed: Readonly<Record<string, string>>,
  message: string,
): Finding[] {
  if (!(path in allowed))
    return offsets.map((offset) => ({ file: path, line: lineAt(text, offset), message }));
  const unused = 'is in a table of tools/check-clocks.ts for what it does not do: remove its row';
  return offsets.length > 0 ? [] : [{ file: path, line: 1, message: unused }];
}

/** What is read of a node here; oxc-parser has a type for each kind of them. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: unknown;
  readonly object?: Node;
  readonly property?: Node;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  /** Of `a ?? b`. */
  readonly left?: Node;
}

const counting = new Set(['-', '+', '<', '<=', '>', '>=', '-=', '+=']);

function usesIn({ program }: ParsedFile): { reads: number[]; counts: number[] } {
  const reads: number[] = [];
  const times = new Set<string>();
  const isTime = (node: Node): boolean => isWallTime(node) || times.has(keyOf(node) ?? '');
  const keep = (name: string | undefined, node: Node): void => {
    const value = node.type === 'LogicalExpression' && node.left ? node.left : node;
    if (name !== undefined && isTime(value)) times.add(name);
  };
  new Visitor({
    MemberExpression: (node) => void (isName(node, 'Date', 'now') && reads.push(node.start)),
    NewExpression: (node) => void (isBareDate(node) && reads.push(node.start)),
    CallExpression: (node) => void (isDate(node.callee) && reads.push(node.start)),
    // What a class holds of it is compared in another method, later.
    AssignmentExpression({ left, right, operator }) {
      if (operator === '=' || operator === '??=') keep(keyOf(left), right);
    },
  }).visit(program);
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (init) keep(keyOf(id), init);
    },
  }).visit(program);
  const counts: number[] = [];
  const count = (node: { operator: string; left: Node; right: Node; start: number }): void => {
    if (counting.has(node.operator) && (isTime(node.left) || isTime(node.right))) counts.push(node.start);
  };
  new Visitor({ BinaryExpression: count, AssignmentExpression: count }).visit(program);
  return { reads, counts };
}

/** `now()`, `host.now()`, `this.#now()`, `Date.now()`, `+new Date()` by another name: not `performance.now()`. */
function isWallTime(node: Node): boolean {
  if (isBareDate(node)) return true;
  if (node.type !== 'CallExpression' || !node.callee) return false;
  const { callee } = node;
  return nameOf(callee.property ?? callee) === 'now' && nameOf(callee.object) !== 'performance';
}

/** What a time is held as: `atMs`, `this.atMs` or `this.#atMs`. */
function keyOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return nameOf(node);
  if (node.type !== 'MemberExpression' || node.object?.type !== 'ThisExpression') return undefined;
  return `this.${nameOf(node.property)}`;
}

function isBareDate(node: Node): boolean {
  return node.type === 'NewExpression' && isDate(node.callee) && node.arguments?.length === 0;
}

function isDate(node: Node | undefined): boolean {
  return node?.type === 'Identifier' && nameOf(node) === 'Date';
}

function isName({ object, property }: Node, ...names: readonly string[]): boolean {
  return nameOf(object) === names[0] && nameOf(property) === names[1];
}

function nameOf(node: Node | undefined): string | undefined {
  return typeof node?.name === 'string' ? node.name : undefined;
}

if (import.meta.main) report('clocks', checkClocks(repositoryRoot));
