import { describe, expect, it } from 'vitest';
import { nearest, nearestOr } from '../../src/declaring/nearest.ts';

describe('nearest', () => {
  it.each([
    ['door_snapsot', 'door_snapshot'],
    ['dor_snapshot', 'door_snapshot'],
    ['door_snapshott', 'door_snapshot'],
    ['Door_Snapshot', 'door_snapshot'],
    ['door_telemtry', 'door_telemetry'],
  ])('finds the name that %s was meant to be', (given, meant) => {
    expect(nearest(given, ['door_snapshot', 'door_telemetry', 'door_insights'])).toBe(meant);
  });

  it.each([
    ['wrold', 'world', 1],
    ['owrld', 'world', 1],
    ['worldd', 'world', 1],
    ['owrdl', 'world', 2],
    ['ab', 'ba', 1],
  ])('takes two neighbours that changed places for one slip: %s', (given, meant, slips) => {
    expect(nearest(given, [meant], slips)).toBe(meant);
    expect(nearest(given, [meant], slips - 1)).toBeUndefined();
  });

  it('prefers the one with fewer differences, then the one that comes first', () => {
    expect(nearest('stile', ['stilt_', 'style'])).toBe('style');
    expect(nearest('cat', ['bat', 'car'])).toBe('bat');
  });

  it('suggests a name two letters away and none three letters away', () => {
    expect(nearest('tool', ['toolXY'])).toBe('toolXY');
    expect(nearest('tool', ['toolXYZ'])).toBeUndefined();
  });

  it.each([
    ['x', 'y', undefined],
    ['x', 'X', 'X'],
    ['x', 'xy', undefined],
    ['ab', 'xy', undefined],
    ['ab', 'ax', 'ax'],
    ['abc', 'xyz', undefined],
    ['abc', 'axy', 'axy'],
  ])('leaves something of a short name the same: %s, %s', (given, known, meant) => {
    expect(nearest(given, [known])).toBe(meant);
  });

  it('allows a third of the letters of a long name to differ', () => {
    expect(nearest('abcdefghi', ['abcdefXYZ'])).toBe('abcdefXYZ');
    expect(nearest('abcdefghi', ['abcdeWXYZ'])).toBeUndefined();
  });

  it('suggests nothing when nothing is known', () => {
    expect(nearest('tool', [])).toBeUndefined();
  });
});

describe('nearestOr', () => {
  it('gives the name that was meant, or the fix where none is near', () => {
    expect(nearestOr('take it out', 'tol', ['tool', 'scopes'])).toEqual({ nearest: 'tool' });
    expect(nearestOr('take it out', 'banana', ['tool', 'scopes'])).toEqual({ fix: 'take it out' });
  });
});
