//! Meshes, height fields, textures, materials and skins.

macro_rules! assets_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // meshes, in their inertial frames
            mesh_vertadr: adr(nmeshvert) [nmesh] "id" "First vertex.";
            mesh_vertnum: int [nmesh] "1" "Number of vertices.";
            mesh_faceadr: adr(nmeshface) [nmesh] "id" "First face.";
            mesh_facenum: int [nmesh] "1" "Number of faces.";
            mesh_normaladr: adr(nmeshnormal) [nmesh] "id" "First normal.";
            mesh_normalnum: int [nmesh] "1" "Number of normals.";
            mesh_texcoordadr: adr(nmeshtexcoord or none) [nmesh] "id" "First texture coordinate; -1 for none.";
            mesh_texcoordnum: int [nmesh] "1" "Number of texture coordinates.";
            mesh_graphadr: adr(nmeshgraph or none) [nmesh] "id" "First number of the convex hull; -1 for none.";
            mesh_extrema: id(nmeshvert) [nmesh 27] "id" "Farthest vertices along the 3x3x3 directions of a cube.";
            mesh_vert: real [nmeshvert 3] "m" "Positions of vertices.";
            mesh_normal: real [nmeshnormal 3] "1" "Normals.";
            mesh_texcoord: real [nmeshtexcoord 2] "1" "Texture coordinates.";
            mesh_face: id(nmeshvert) [nmeshface 3] "id" "Vertices of each face.";
            mesh_facenormal: id(nmeshnormal) [nmeshface 3] "id" "Normals of each face.";
            mesh_facetexcoord: id(any) [nmeshface 3] "id" "Texture coordinates of each face.";
            mesh_graph: int [nmeshgraph] "mixed" "Hulls: numbers of vertices and faces, then edges, vertices and faces.";
            mesh_scale: real [nmesh 3] "1" "Scale of the vertices as written.";
            mesh_pos: real [nmesh 3] "m" "Inertial frame's position in the mesh as written.";
            mesh_quat: real [nmesh 4] "1" "Inertial frame's orientation in the mesh as written.";
            mesh_polynum: int [nmesh] "1" "Number of polygons.";
            mesh_polyadr: adr(nmeshpoly) [nmesh] "id" "First polygon.";
            mesh_polynormal: real [nmeshpoly 3] "1" "Normals of polygons.";
            mesh_polyvertadr: adr(nmeshpolyvert) [nmeshpoly] "id" "First vertex of each polygon.";
            mesh_polyvertnum: int [nmeshpoly] "1" "Number of vertices of each polygon.";
            mesh_polyvert: id(nmeshvert) [nmeshpolyvert] "id" "Vertices of polygons.";
            mesh_polymapadr: adr(nmeshpolymap) [nmeshvert] "id" "First polygon of each vertex.";
            mesh_polymapnum: int [nmeshvert] "1" "Number of polygons of each vertex.";
            mesh_polymap: id(nmeshpoly) [nmeshpolymap] "id" "Polygons of vertices.";
            meshbvh_adr: adr(nmeshbvh) [nmesh] "id" "First node of the tree of boxes around the faces.";
            meshbvh_num: int [nmesh] "1" "Number of nodes.";
            meshbvh_aabb: real [nmeshbvh 6] "m" "Boxes of nodes: centre and half sizes, in the frame of the mesh.";
            meshbvh_skip: int [nmeshbvh] "1" "Number of the node after those below, in its tree.";
            meshbvh_faceadr: adr(nmeshface) [nmeshbvh] "id" "First face of a leaf among those of the mesh, in the order of `meshbvh_face`.";
            meshbvh_facenum: int [nmeshbvh] "1" "Number of faces of a leaf, 0 of other nodes.";
            meshbvh_face: id(nmeshface) [nmeshface] "id" "Faces of each mesh in the order of leaves.";
            // height fields
            hfield_size: real [nhfield 4] "m" "Half sizes along x and y, height, depth of the base.";
            hfield_nrow: int [nhfield] "1" "Number of rows.";
            hfield_ncol: int [nhfield] "1" "Number of columns.";
            hfield_adr: adr(nhfielddata) [nhfield] "id" "First height.";
            hfield_data: real [nhfielddata] "1" "Heights between 0 and 1, by row.";
            // textures and materials
            tex_type: int [ntex] "enum" "0 flat, 1 cube, 2 skybox.";
            tex_colorspace: int [ntex] "enum" "0 unknown, 1 linear, 2 sRGB.";
            tex_height: int [ntex] "1" "Height in pixels; the sides of a cube are below each other.";
            tex_width: int [ntex] "1" "Width in pixels.";
            tex_nchannel: int [ntex] "1" "Number of channels.";
            tex_adr: adr(any or none) [ntex] "id" "First byte of its pixels, were they stored; -1 where they stay in the file.";
            mat_texid: id(ntex or none) [nmat 10] "id" "Textures by role; -1 for none.";
            mat_texuniform: int [nmat] "flag" "Whether textures are scaled to be uniform in space.";
            mat_texrepeat: real [nmat 2] "1" "Repetitions of textures.";
            mat_emission: real [nmat] "1" "Emission.";
            mat_specular: real [nmat] "1" "Specularity.";
            mat_shininess: real [nmat] "1" "Shininess.";
            mat_reflectance: real [nmat] "1" "Reflectance.";
            mat_metallic: real [nmat] "1" "Metallic part; negative for none.";
            mat_roughness: real [nmat] "1" "Roughness; negative for none.";
            mat_rgba: real [nmat 4] "1" "Colour.";
            // skins
            skin_matid: id(nmat or none) [nskin] "id" "Material; -1 for none.";
            skin_group: int [nskin] "1" "Group for display.";
            skin_rgba: real [nskin 4] "1" "Colour.";
            skin_inflate: real [nskin] "m" "Inflation along normals.";
            skin_vertadr: adr(nskinvert) [nskin] "id" "First vertex.";
            skin_vertnum: int [nskin] "1" "Number of vertices.";
            skin_texcoordadr: adr(nskintexvert or none) [nskin] "id" "First texture coordinate; -1 for none.";
            skin_faceadr: adr(nskinface) [nskin] "id" "First face.";
            skin_facenum: int [nskin] "1" "Number of faces.";
            skin_boneadr: adr(nskinbone) [nskin] "id" "First bone.";
            skin_bonenum: int [nskin] "1" "Number of bones.";
            skin_vert: real [nskinvert 3] "m" "Vertices.";
            skin_texcoord: real [nskintexvert 2] "1" "Texture coordinates.";
            skin_face: id(nskinvert) [nskinface 3] "id" "Vertices of each face, counted from the skin's first.";
            skin_bonevertadr: adr(nskinbonevert) [nskinbone] "id" "First vertex that the bone moves, in `skin_bonevertid`.";
            skin_bonevertnum: int [nskinbone] "1" "Number of vertices that the bone moves.";
            skin_bonebindpos: real [nskinbone 3] "m" "Position in which the bone was bound.";
            skin_bonebindquat: real [nskinbone 4] "1" "Orientation in which the bone was bound.";
            skin_bonebodyid: id(nbody) [nskinbone] "id" "Body that the bone follows.";
            skin_bonevertid: id(nskinvert) [nskinbonevert] "id" "Vertices of all bones.";
            skin_bonevertweight: real [nskinbonevert] "1" "Their weights, one in total for each vertex.";
        } }
    };
}
pub(crate) use assets_fields;
