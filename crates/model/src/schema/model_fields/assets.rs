//! Meshes, height fields, textures, materials and skins.

macro_rules! assets_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // meshes, in their inertial frames
            mesh_vertadr: adr(nmeshvert) [nmesh] "id" "First vertex.";
            mesh_vertnum: num(mesh_vertadr) [nmesh] "1" "Number of vertices.";
            mesh_faceadr: adr(nmeshface) [nmesh] "id" "First face.";
            mesh_facenum: num(mesh_faceadr) [nmesh] "1" "Number of faces.";
            mesh_normaladr: adr(nmeshnormal) [nmesh] "id" "First normal.";
            mesh_normalnum: num(mesh_normaladr) [nmesh] "1" "Number of normals.";
            mesh_texcoordadr: adr(nmeshtexcoord or none) [nmesh] "id" "First texture coordinate; -1 for none.";
            mesh_texcoordnum: num(mesh_texcoordadr) [nmesh] "1" "Number of texture coordinates.";
            mesh_graphadr: adr(nmeshgraph or none) [nmesh] "id" "First number of the convex hull; -1 for none.";
            mesh_supportadr: adr(nmeshsupport or none) [nmesh] "id" "First number of the support vertices; -1 for none.";
            mesh_support: int [nmeshsupport] "mixed" "Support vertices by direction: where the list of each of 16x16 cells on each face of a cube begins behind these 1537 numbers, and the last one ends; then the vertices of the hull of which one is farthest in any direction of a cell, or as the only one minus one minus the number in the graph of that from which a search for it begins.";
            mesh_vert: real [nmeshvert 3] "m" "Vertex positions.";
            mesh_normal: real [nmeshnormal 3] "1" "Normals.";
            mesh_texcoord: real [nmeshtexcoord 2] "1" "Texture coordinates.";
            mesh_face: id(nmeshvert) [nmeshface 3] "id" "Vertex indices of each face.";
            mesh_facenormal: id(nmeshnormal) [nmeshface 3] "id" "Normal indices of each face.";
            mesh_facetexcoord: id(any) [nmeshface 3] "id" "Texture coordinate indices of each face.";
            mesh_graph: int [nmeshgraph] "mixed" "Convex hulls: vertex and face counts, then edge addresses, vertices, neighbours and faces.";
            mesh_scale: real [nmesh 3] "1" "Scale factors of the original vertices.";
            mesh_pos: real [nmesh 3] "m" "Position of the inertial frame in the original mesh.";
            mesh_quat: real [nmesh 4] "1" "Orientation of the inertial frame in the original mesh.";
            mesh_polynum: num(mesh_polyadr) [nmesh] "1" "Number of polygons.";
            mesh_polyadr: adr(nmeshpoly) [nmesh] "id" "First polygon.";
            mesh_polynormal: real [nmeshpoly 3] "1" "Polygon normals.";
            mesh_polyvertadr: adr(nmeshpolyvert) [nmeshpoly] "id" "First vertex of each polygon.";
            mesh_polyvertnum: num(mesh_polyvertadr) [nmeshpoly] "1" "Number of vertices of each polygon.";
            mesh_polyvert: id(nmeshvert) [nmeshpolyvert] "id" "Polygon vertices.";
            mesh_polymapadr: adr(nmeshpolymap) [nmeshvert] "id" "First polygon of each vertex in `mesh_polymap`.";
            mesh_polymapnum: num(mesh_polymapadr) [nmeshvert] "1" "Number of polygons of each vertex.";
            mesh_polymap: id(nmeshpoly) [nmeshpolymap] "id" "Polygons incident to each vertex.";
            meshbvh_adr: adr(nmeshbvh) [nmesh] "id" "First node of the bounding volume hierarchy.";
            meshbvh_num: num(meshbvh_adr) [nmesh] "1" "Number of nodes.";
            meshbvh_aabb: real [nmeshbvh 6] "m" "AABBs of nodes: centre and half sizes, in the frame of the mesh.";
            meshbvh_skip: int [nmeshbvh] "1" "Next node outside the subtree, relative to the first node of the mesh.";
            meshbvh_faceadr: adr(nmeshface) [nmeshbvh] "id" "First face of a leaf, relative to the mesh, in `meshbvh_face`.";
            meshbvh_facenum: int [nmeshbvh] "1" "Number of faces of a leaf; 0 for inner nodes.";
            meshbvh_face: id(nmeshface) [nmeshface] "id" "Faces of each mesh, in leaf order.";
            mesh_octadr: adr(noct or none) [nmesh] "id" "First cell of the octree of signed distances; -1 for none.";
            mesh_octnum: num(mesh_octadr) [nmesh] "1" "Number of cells.";
            oct_depth: int [noct] "1" "Level of a cell; 0 for the root.";
            oct_child: id(noct or none) [noct 8] "id" "Children of a cell, relative to the mesh's first cell, in the upper half along axis a where bit a of their number is set; -1 for leaves.";
            oct_aabb: real [noct 6] "m" "Centre and half sizes of a cell, in the frame of the mesh.";
            oct_coeff: real [noct 8] "m" "Signed distance at the corners of a cell, in the order of the children.";
            // height fields
            hfield_size: real [nhfield 4] "m" "Half sizes along x and y, elevation at the top, depth of the base." { varies: Some(Rule::Positive) };
            hfield_nrow: int [nhfield] "1" "Number of rows.";
            hfield_ncol: int [nhfield] "1" "Number of columns.";
            hfield_adr: adr(nhfielddata) [nhfield] "id" "First elevation sample.";
            hfield_data: real [nhfielddata] "1" "Elevation in [0, 1], row-major." { varies: Some(Rule::Unit) };
            // textures and materials
            tex_type: int [ntex] "enum" "0 flat, 1 cube, 2 skybox.";
            tex_colorspace: int [ntex] "enum" "0 unknown, 1 linear, 2 sRGB.";
            tex_height: int [ntex] "1" "Height in pixels; cube faces are stacked vertically.";
            tex_width: int [ntex] "1" "Width in pixels.";
            tex_nchannel: int [ntex] "1" "Number of channels.";
            tex_adr: adr(any or none) [ntex] "id" "Address of the first pixel byte, were pixels stored; -1 if they stay in the file.";
            mat_texid: id(ntex or none) [nmat 10] "id" "Textures by role; -1 for none.";
            mat_texuniform: int [nmat] "flag" "1 if texture repetition is uniform in space.";
            mat_texrepeat: real [nmat 2] "1" "Texture repetitions.";
            mat_emission: real [nmat] "1" "Emission.";
            mat_specular: real [nmat] "1" "Specularity.";
            mat_shininess: real [nmat] "1" "Shininess.";
            mat_reflectance: real [nmat] "1" "Reflectance.";
            mat_metallic: real [nmat] "1" "Metalness; negative for none.";
            mat_roughness: real [nmat] "1" "Roughness; negative for none.";
            mat_rgba: real [nmat 4] "1" "Colour.";
            // skins
            skin_matid: id(nmat or none) [nskin] "id" "Material; -1 for none.";
            skin_group: int [nskin] "1" "Group for display.";
            skin_rgba: real [nskin 4] "1" "Colour.";
            skin_inflate: real [nskin] "m" "Inflation along normals.";
            skin_vertadr: adr(nskinvert) [nskin] "id" "First vertex.";
            skin_vertnum: num(skin_vertadr) [nskin] "1" "Number of vertices.";
            skin_texcoordadr: adr(nskintexvert or none) [nskin] "id" "First texture coordinate; -1 for none.";
            skin_faceadr: adr(nskinface) [nskin] "id" "First face.";
            skin_facenum: num(skin_faceadr) [nskin] "1" "Number of faces.";
            skin_boneadr: adr(nskinbone) [nskin] "id" "First bone.";
            skin_bonenum: num(skin_boneadr) [nskin] "1" "Number of bones.";
            skin_vert: real [nskinvert 3] "m" "Vertices.";
            skin_texcoord: real [nskintexvert 2] "1" "Texture coordinates.";
            skin_face: id(nskinvert) [nskinface 3] "id" "Vertex indices of each face, relative to the skin's first.";
            skin_bonevertadr: adr(nskinbonevert) [nskinbone] "id" "First vertex of the bone in `skin_bonevertid`.";
            skin_bonevertnum: num(skin_bonevertadr) [nskinbone] "1" "Number of vertices of the bone.";
            skin_bonebindpos: real [nskinbone 3] "m" "Bind position of the bone.";
            skin_bonebindquat: real [nskinbone 4] "1" "Bind orientation of the bone.";
            skin_bonebodyid: id(nbody) [nskinbone] "id" "Body of the bone.";
            skin_bonevertid: id(nskinvert) [nskinbonevert] "id" "Vertices of all bones.";
            skin_bonevertweight: real [nskinbonevert] "1" "Weights of those vertices, normalised to a sum of one per vertex.";
        } }
    };
}
pub(crate) use assets_fields;
