// Runs before a package is packed or published. Only pnpm replaces the entry points by those of `publishConfig`: a package that
// npm makes would name sources that are not in it. Plain JavaScript: it runs on whatever Node the machine has.
const agent = process.env.npm_config_user_agent ?? '';
if (!agent.startsWith('pnpm/')) {
  process.stderr.write(
    'Pack and publish with pnpm: `npx -y pnpm@10.34.8 pack`, or `publish`. A package made by npm would not work.\n',
  );
  process.exitCode = 1;
}
