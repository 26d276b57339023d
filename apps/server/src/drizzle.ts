export type { DrizzleTable, TableResourceOptions } from '@waymark/data';
export { type Drizzle, type DrizzleOptions, type DrizzleResult, drizzle } from '@waymark/data/drizzle';
