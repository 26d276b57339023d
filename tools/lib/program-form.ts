/**
 * Options of node for a program that a test starts: from the sources in `npm test`, which builds nothing; from what was
 * built of them in the tiers that start many (`PROGRAMS=built`, set by their configurations).
 */
export const programForm: readonly string[] =
  process.env['PROGRAMS'] === 'built' ? [] : ['--conditions=@waymark/source'];
