/** The seed in CI, so that a result does not depend on chance. */
const SEED_IN_CI = 20_260_115;

/**
 * Returns the seed of a test with random inputs: that of the variable, else a fixed one in CI, else a random one. The test prints it.
 *
 * @param variable of the environment, such as `SVC_FUZZ_SEED`
 */
export function seedOf(variable: string): number {
  const given = process.env[variable];
  if (given !== undefined && given !== '') return Number(given);
  return process.env['CI'] ? SEED_IN_CI : (Date.now() ^ process.pid) & 0x7fff_ffff;
}
