import { lightFetch } from './light-fetch.ts';
import { LightHeaders } from './light-headers.ts';
import { LightRequest } from './light-request.ts';
import { LightResponse } from './light-response.ts';

/** Nothing here sends forms, and the question whether a body is one would load all of Node's own. */
class LightFormData {}

/** Puts the light ones in the place of Node's own, for the SDK too. Any other way than to assign them would load Node's. */
export function installLightFetch(): void {
  Object.assign(globalThis, {
    fetch: lightFetch,
    Headers: LightHeaders,
    Request: LightRequest,
    Response: LightResponse,
    FormData: LightFormData,
  });
}
