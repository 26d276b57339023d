/** Bytes that the evidence of one device may take, unless a store is told otherwise: 16 MB. */
export const keptEvidenceBytes: number = 16 * 1_048_576;
