import { expect, it } from 'vitest';
import * as simulator from '../src/index.ts';

it('exports these names', () => {
  expect(Object.keys(simulator).sort()).toEqual(['quirkNames', 'startSimulator']);
});
