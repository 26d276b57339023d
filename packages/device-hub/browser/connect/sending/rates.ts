const usual = [1, 2, 5, 10, 15, 20, 25, 30];

/** The rates one may choose, up to what the hub takes. @param most pictures a second; above 0 */
export function toRates(most: number): readonly number[] {
  return [...usual.filter((rate) => rate < most), Math.min(most, 60)];
}
