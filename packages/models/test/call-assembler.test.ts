import { describe, expect, it } from 'vitest';
import { CallAssembler } from '../src/openai/call-assembler.ts';

describe('CallAssembler', () => {
  it('takes long arguments in small pieces in little time', () => {
    const calls = new CallAssembler();
    calls.add({ index: 0, id: 'a', function: { name: 'write', arguments: '"' } });
    const startedMs = performance.now();
    for (let i = 0; i < 60_000; i++) calls.add({ index: 0, function: { arguments: 'words' } });
    expect(performance.now() - startedMs).toBeLessThan(2000);
    expect(JSON.stringify(calls.calls)).toHaveLength(300_075);
  });
});
