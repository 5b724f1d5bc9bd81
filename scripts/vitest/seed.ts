/** By which a run in CI is made: what it says of a change does not depend on chance. */
const SEED_IN_CI = 20_260_115;

/**
 * The seed of a run that invents its own requests. Every run on somebody's machine looks somewhere else; it prints its seed, and the
 * variable repeats it.
 *
 * @param variable of the environment, such as `SVC_FUZZ_SEED`
 */
export function seedOf(variable: string): number {
  const given = process.env[variable];
  if (given !== undefined && given !== '') return Number(given);
  return process.env['CI'] ? SEED_IN_CI : (Date.now() ^ process.pid) & 0x7fff_ffff;
}
