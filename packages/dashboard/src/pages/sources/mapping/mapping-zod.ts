/** Zod makes code from texts where it may, which the policy of the page refuses. Import this before anything that makes schemas. */
import * as z from 'zod';

z.config({ jitless: true });
