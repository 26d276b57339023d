import { accessSync, constants } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import type { Route } from '@waymark/contract';
import type { Declared } from '../declaring/features.ts';
import type { Settings } from './settings.ts';

/** So much memory stands behind each process where nobody says how many there are: two thirds are for its work. */
const bytesOfProcess = 256 * 1024 * 1024;

/** More are no use to anybody, and a number with a zero too much would take all memory that there is. */
const mostOfCpu = 32;

/** How many processes may be asked for on this machine: 32 for each CPU. */
export const mostProcesses = (): number => availableParallelism() * mostOfCpu;

/** The processes of a server, and why they are not one for each CPU. */
export interface ProcessPlan {
  readonly processes: number;
  /** Why nobody was asked for more, for a sentence; undefined where somebody has said how many. */
  readonly because?: string | undefined;
}

/** What is declared, as far as it says who may keep it. */
export interface Kept {
  readonly settings: Pick<Settings, 'workers' | 'database'>;
  readonly declared: Pick<Declared, 'agents' | 'credentials' | 'flows' | 'watchers' | 'outbox'> & {
    readonly routes: readonly Pick<Route, 'method' | 'path' | 'readOnly' | 'placement'>[];
  };
}

/** What a machine gives this program. */
export interface Machine {
  /** CPUs that it may use, which are fewer than there are in a container. */
  readonly cpus: number;
  readonly memoryBytes: number;
  /** The word of node for the system. */
  readonly platform: NodeJS.Platform;
  /** Whether files can be written for a while: processes meet in a folder of them. */
  readonly temporary: boolean;
}

/** How many processes serve where `waymark start` is asked: one for each CPU, where nobody says and nothing is in the way. */
export function processesOf(declarations: Kept, machine: Machine = thisMachine()): ProcessPlan {
  const { workers } = declarations.settings;
  if (workers !== undefined) return { processes: workers };
  const alone = whyOne(declarations, machine);
  if (alone !== undefined) return { processes: 1, because: alone };
  const { cpus, memoryBytes } = machine;
  const fit = Math.max(1, Math.floor(memoryBytes / bytesOfProcess));
  if (fit >= cpus) return { processes: cpus, ...(cpus === 1 && { because: 'there is 1 CPU' }) };
  return { processes: fit, because: `${Math.round(memoryBytes / 1024 / 1024)} MB of memory are for no more` };
}

/** Whether a database is gone with its process, and nobody else sees it. */
export function isInMemory(database: string): boolean {
  return database.includes(':memory:');
}

/** What one process only can keep. */
function whyOne(
  { settings: { database }, declared }: Kept,
  { platform, temporary }: Machine,
): string | undefined {
  // Node passes connections to other processes there, too, but none that something was read of.
  if (platform === 'win32') return 'connections move between processes of other systems only';
  if (!temporary) return 'processes meet in a folder of temporary files, and none can be made';
  if (declared.credentials.some(hasOwnSessions))
    return 'sessions of browsers that signed in with a token of an issuer are kept by a process';
  if (database !== undefined) return isInMemory(database) ? 'the database is in memory' : undefined;
  const { agents, flows, watchers, outbox, routes } = declared;
  if (agents.length + flows.length + watchers.length > 0) return 'no database keeps its runs';
  if (outbox.length > 0) return 'no database keeps its deliveries';
  // A handler that changes something and has no database changes a variable, as far as anybody can tell.
  const changing = routes.find(({ readOnly, placement }) => !readOnly && placement === 'any');
  return changing && `no database keeps what ${changing.method} ${changing.path} changes`;
}

/** Whether what its tokens are verified with is public: no key of sessions can be derived from it, so each process has its own. */
function hasOwnSessions({ kind, options }: Declared['credentials'][number]): boolean {
  return kind === 'jwt' && (!('env' in options) || options.algorithm?.startsWith('RS') === true);
}

function thisMachine(): Machine {
  // Zero, or more than there is, where nobody bounds it.
  const bound = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return {
    cpus: availableParallelism(),
    memoryBytes: Math.min(totalmem(), bound),
    platform: process.platform,
    temporary: isWritable(tmpdir()),
  };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
