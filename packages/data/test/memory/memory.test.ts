import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.ts';

describe('memory', () => {
  it('is called memory when it is given no name', () => {
    expect(memory()).toMatchObject({ kind: 'memory', name: 'memory', options: {} });
  });

  it('knows the names of its tools', () => {
    expect(memory('notes').tools).toEqual(['notes_remember', 'notes_recall', 'notes_search', 'notes_forget']);
  });

  it('knows where it is declared, or what it is told about that', () => {
    expect(memory('notes').declaredAt).toMatch(/memory\.test\.ts:\d+$/);
    expect(memory('notes', { declaredAt: 'app.ts:3' })).toMatchObject({
      declaredAt: 'app.ts:3',
      options: {},
    });
  });
});
