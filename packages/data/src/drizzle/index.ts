export { type Drizzle, type DrizzleOptions, type DrizzleResult, drizzle } from './drizzle.ts';
