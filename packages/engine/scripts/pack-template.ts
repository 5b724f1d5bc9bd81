import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { packTar } from 'modern-tar/fs';

/** The catalogues of the three databases in a folder are almost the same: a window that holds them all halves the file. */
const COMPRESSION = {
  [constants.ZSTD_c_compressionLevel]: 12,
  [constants.ZSTD_c_windowLog]: 25,
  [constants.ZSTD_c_enableLongDistanceMatching]: 1,
};

/** Packs the folder of a closed embedded database as `createPglite` unpacks it. */
export function packTemplate(folder: string, file: URL): Promise<void> {
  return pipeline(packTar(folder), createZstdCompress({ params: COMPRESSION }), createWriteStream(file));
}
