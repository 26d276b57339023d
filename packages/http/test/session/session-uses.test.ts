import { describe, expect, it } from 'vitest';
import { SessionUses } from '../../src/session/session-uses.ts';

describe('SessionUses', () => {
  it('ends what was begun with a session, once, and nothing else', () => {
    const uses = new SessionUses();
    const ended: string[] = [];
    const begin = (session: string, name: string) => uses.add(session, () => void ended.push(name));
    begin('one', 'a socket');
    begin('one', 'a stream');
    const leave = begin('one', 'what is over');
    begin('other', 'of somebody else');
    leave();
    leave();
    uses.end('one');
    uses.end('one');
    uses.end('unknown');
    expect(ended).toEqual(['a socket', 'a stream']);
  });
});
