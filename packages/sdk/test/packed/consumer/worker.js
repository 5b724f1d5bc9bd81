import { prove } from './prove.js';

export default {
  async fetch(request) {
    const [baseUrl, apiKey] = new URL(request.url).searchParams.getAll('of');
    return Response.json(await prove(baseUrl, apiKey));
  },
};
