import type { JsonObject } from '@waymark/client-gen/runtime';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { beginTurn, failed, type Picture, type Turn, told } from './turn.ts';

/** Turns that are kept; a page that stays open all day has no more. */
const mostTurns = 200;

/** What was asked of one agent, behaviour or flow, and what comes of it. */
export interface Turns {
  readonly turns: readonly Turn[];
  /** Whether one is under way. */
  readonly busy: boolean;
  ask(input: JsonObject, pictures?: readonly Picture[]): void;
  clear(): void;
}

/** Asks, and follows each run to its end, also beyond a wait for a human. Leaving the page lets the runs go on. */
export function useTurns(path: string): Turns {
  const { service } = useApp();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const left = useRef(new AbortController());
  useEffect(() => {
    const { current } = left;
    return () => {
      current.abort();
      left.current = new AbortController();
      setTurns([]);
    };
  }, [path]);
  const change = (key: string, by: (turn: Turn) => Turn): void =>
    setTurns((all) => all.map((turn) => (turn.key === key ? by(turn) : turn)));

  const follow = async (begun: Turn): Promise<void> => {
    const { signal } = left.current;
    const runs = service.runs(path);
    const pictures = begun.pictures.length > 0 ? { images: begun.pictures } : {};
    let turn = begun;
    try {
      for (let events = runs.stream({ ...begun.input, ...pictures }, { signal }); ; ) {
        for await (const event of events) {
          turn = told(turn, event);
          change(turn.key, () => turn);
        }
        if (turn.state !== 'waiting' || turn.runId === undefined) return;
        events = runs.follow(turn.runId, { lastSeq: turn.lastSeq, signal });
      }
    } catch (error) {
      if (!signal.aborted) change(turn.key, () => failed(turn, error));
    }
  };
  return {
    turns,
    busy: turns.some(({ state }) => state === 'running' || state === 'waiting'),
    ask: (input, pictures) => {
      const turn = beginTurn(toKey(), input, pictures);
      setTurns((all) => [...all, turn].slice(-mostTurns));
      void follow(turn);
    },
    clear: () => setTurns([]),
  };
}

/** Pages of plain http have no `randomUUID`. */
export function toKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
