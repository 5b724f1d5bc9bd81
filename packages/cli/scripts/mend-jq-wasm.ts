/**
 * jq-wasm (1.0.1) copies all of its input for every byte that jq reads, and all of its output for every byte that jq writes: a
 * document of 300 kB takes 20 seconds. And what jq says of an error is lost once it has printed something. Both are in a few lines
 * around the WebAssembly, which this replaces while the bundle is made.
 */
const REPLACEMENTS: readonly (readonly [old: RegExp, mended: string])[] = [
  [/stdinBuffer = stdinBuffer\.slice\(1\)/, 'stdinBuffer = stdinBuffer.subarray(1)'],
  [growing('stdoutBuffer'), 'stdoutBuffer = appendByte(stdoutBuffer, charCode)'],
  [growing('stderrBuffer'), 'stderrBuffer = appendByte(stderrBuffer, charCode)'],
  [/function toByteArray\(/, `${appendByte.toString()} function toByteArray(`],
  [/Module\.callMain\(\[\.\.\.flags/, 'const exitStatus = Module.callMain([...flags'],
  [/if \(stdoutBuffer\.length > 0\)/, 'if (stdoutBuffer.length > 0 && exitStatus === 0)'],
];

/** A plugin of the bundler. */
export function mendJqWasm() {
  return {
    name: 'mend-jq-wasm',
    transform(code: string, id: string): string | null {
      return /[\\/]jq-wasm[\\/]dist[\\/]build[\\/]jq\.js$/.test(id) ? mend(code) : null;
    },
  };
}

/** @throws Error when jq-wasm is not the one that this was written for */
function mend(code: string): string {
  let mended = code;
  for (const [old, replacement] of REPLACEMENTS) {
    if (!old.test(mended)) throw new Error(`jq-wasm has changed: there is no ${old} any more; see mend-jq-wasm.ts`);
    mended = mended.replace(old, () => replacement);
  }
  return mended;
}

function growing(name: string): RegExp {
  const lines = [
    `const tmp = new Uint8Array\\(${name}\\.length \\+ 1\\);`,
    `tmp\\.set\\(${name}, 0\\);`,
    'tmp\\[tmp\\.length - 1\\] = charCode;',
    `${name} = tmp`,
  ];
  return new RegExp(lines.join('\\s+'));
}

/** Goes into the bundle: a view of a buffer that doubles when it is full. */
function appendByte(bytes: Uint8Array, byte: number): Uint8Array {
  let buffer = bytes.buffer;
  if (bytes.length === buffer.byteLength) {
    const grown = new Uint8Array(Math.max(1024, bytes.length * 2));
    grown.set(bytes);
    buffer = grown.buffer;
  }
  const longer = new Uint8Array(buffer, 0, bytes.length + 1);
  longer[bytes.length] = byte;
  return longer;
}
